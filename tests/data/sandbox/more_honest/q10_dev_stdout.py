import subprocess
print("a", flush=True)
for letter in "bc":
    with open("/dev/stdout", "w") as out: out.write(letter + "\n")
subprocess.run("echo d > /dev/stdout; echo e >> /dev/stdout", shell=True)
print("f")
