# HONEST q08_time_and_zone: local time is UTC, zones are known
import datetime, time, zoneinfo
print(time.tzname[0], time.strftime("%Y-%m-%d %H:%M", time.localtime(0)))
print(datetime.datetime(2024, 7, 1, 12, tzinfo=datetime.timezone.utc).astimezone(zoneinfo.ZoneInfo("Europe/Berlin")).isoformat(" ", "minutes"))
