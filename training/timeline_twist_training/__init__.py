"""Training agents for Timeline Twist. The training commands arrive in a later version; see CHANGELOG.md."""
