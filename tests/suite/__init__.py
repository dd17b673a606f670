"""The room `suite`."""
