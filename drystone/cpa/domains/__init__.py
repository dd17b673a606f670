"""What abstract states can say about a program. One folder a domain."""
