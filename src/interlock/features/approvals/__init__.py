"""Who said yes to exactly this?"""
