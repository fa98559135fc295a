"""PostgreSQL and Redis that come as Python wheels, run as children of whoever starts them."""
