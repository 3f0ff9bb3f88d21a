"""What pages show, as plain data: one module a view, no HTML in any of them."""
