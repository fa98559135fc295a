"""What packages outside of Handoff may import, and nothing else of Handoff: see docs/plugins.md."""
