"""One type of answer a file; ``interpret`` holds the table of them."""
