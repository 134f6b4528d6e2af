"""Adapters to trainers and servers; nothing in assay imports this folder."""
