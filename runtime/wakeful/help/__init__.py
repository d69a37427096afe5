"""The pages about problems, one for each code, that come with the package."""
