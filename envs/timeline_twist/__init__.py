"""Timeline Twist as a reinforcement-learning environment.

Unofficial; not affiliated with the publisher of the card game.
"""

from timeline_twist.catalogue import Catalogue
from timeline_twist.catalogue import load as load_catalogue
from timeline_twist.errors import CatalogueError, SettingsError, UserError
from timeline_twist.registration import register_environments
from timeline_twist.tables import Competitive, Coop, Result, read_result

__version__ = "0.1.0"

__all__ = [
    "Catalogue",
    "CatalogueError",
    "Competitive",
    "Coop",
    "Result",
    "SettingsError",
    "UserError",
    "load_catalogue",
    "read_result",
]

register_environments()
