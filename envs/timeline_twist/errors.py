"""What a user can get wrong. The command line prints these as one line, without a traceback."""


class UserError(ValueError):
    """The message says where, what, and what instead."""


class CatalogueError(UserError):
    """A catalogue that cannot be read or used; the message begins with file and line."""


class SettingsError(UserError):
    """A setting outside its range, or settings that do not fit together."""
