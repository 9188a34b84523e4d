"""Trace: from machine code and trap hits to instructions, source lines and listings.

Enters: the text of an image, its functions, its ELF file, the addresses that were executed.
Leaves: instructions that may carry a trap, source lines, annotated listings. Never here:
running anything, or judging what was executed.
"""
