# HONEST q06_sqlite_and_gzip: a data base and compressed files on disk
import gzip, sqlite3
c = sqlite3.connect("data.db"); c.execute("create table t (n, s)"); c.executemany("insert into t values (?, ?)", [(1, "a"), (2, "b")]); c.commit()
print(c.execute("select * from t order by n").fetchall())
with gzip.open("f.gz", "wb") as f: f.write(b"text")
print(gzip.open("f.gz").read())
