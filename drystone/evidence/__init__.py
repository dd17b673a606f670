"""Proofs and executions that anyone can check, made without the engines that found them."""
