"""What can be done with a text, without a network and without a model that is loaded at run time."""
