import inspect, multiprocessing, os
def square(x): return x * x
if __name__ == "__main__":
    print(open(__file__).read().startswith("import inspect"), os.path.exists(__file__), __loader__ is not None)
    print(inspect.getsource(square).strip())
    for method in ("spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(2) as pool: print(method, pool.map(square, range(4)))
