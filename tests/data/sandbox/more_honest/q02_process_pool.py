# HONEST q02_process_pool: executors, shared memory, a manager
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import Manager, shared_memory
def square(x): return x * x
if __name__ == "__main__":
    with ProcessPoolExecutor(2) as e: print(list(e.map(square, range(4))))
    s = shared_memory.SharedMemory(create=True, size=16); s.buf[0] = 6; print(s.buf[0]); s.close(); s.unlink()
