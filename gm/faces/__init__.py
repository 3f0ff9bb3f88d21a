"""What people and other programs see: pages, books, the Model Context Protocol."""
