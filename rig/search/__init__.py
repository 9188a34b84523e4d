"""Station 6b: looks for inputs that reach code which no earlier case has reached."""
