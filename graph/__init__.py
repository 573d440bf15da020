"""The memory itself: entities, aliases and facts, behind one store port."""
