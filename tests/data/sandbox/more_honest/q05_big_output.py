# HONEST q05_big_output: a megabyte, written in several ways
import os, sys
sys.stdout.write("x" * 500_000 + "\n"); sys.stdout.flush()
os.write(1, b"y" * 300_000 + b"\n"); sys.stdout.buffer.write(b"z" * 200_000 + b"\n")
