# HONEST q04_exit_and_handlers: exit(), finally, atexit, output without a newline at the end
import atexit
atexit.register(print, "last")
print("a")
try: exit(0)
finally: print("b")
