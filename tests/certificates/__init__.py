"""Wrong certificates are refused."""
