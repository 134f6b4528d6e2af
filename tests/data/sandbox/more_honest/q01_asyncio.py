# HONEST q01_asyncio: event loop, subprocess, streams
import asyncio, sys
async def main():
    print(await asyncio.gather(*(asyncio.sleep(0.01, i * i) for i in range(3))))
    p = await asyncio.create_subprocess_exec(sys.executable, "-c", "print(7)", stdout=asyncio.subprocess.PIPE)
    out, _ = await p.communicate(); print(out.decode().strip())
asyncio.run(main())
