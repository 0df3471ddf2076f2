"""The image's form has a second file beside model.py; here it says nothing."""
