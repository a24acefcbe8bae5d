"""Training with Ray RLlib on one machine or many; needs the extra `ray`."""
