"""Changes by hand: each is locked, checked, previewed where wanted, and committed as one."""
