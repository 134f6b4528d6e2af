# ATTACK a27_signals_to_the_first_process
# TRIES: end the slot by every signal there is to the first process of its namespace
# SAFE:  refused, or ignored as the first process of a namespace ignores what it has no handler for
# JUDGE: nobreach nosurvivor
import os, signal, time
if os.getppid() == 1:  # in a namespace; elsewhere the first process is the host's
    for number in range(1, signal.NSIG):
        try: os.kill(1, number)
        except OSError: pass
    time.sleep(0.3)
print("END", flush=True)
