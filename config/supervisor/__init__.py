"""`make up`: starts everything, starts again what dies, stops it all. Asyncio and processes; no Django in here."""
