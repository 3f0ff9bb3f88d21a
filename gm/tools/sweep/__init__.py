"""Many worlds from one: repeats and variations of a base world, played side by side, and one table of the outcome."""
