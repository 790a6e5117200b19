"""The catalogue: specs such as ``slimfly:q=5,hosts=4``, one file per family, the transforms, networks by blocks, and one page
about a topology.
"""
