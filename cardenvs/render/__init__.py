"""Pictures of tables: laid out once (`scene`), painted as SVG (`svg`) or with pygame (`window`, the extra ``render``).

Importing this package imports no pygame.
"""
