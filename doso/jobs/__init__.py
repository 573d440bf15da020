"""Durable background jobs."""
