"""What a day holds: the plan of each character, the calendar's events, company, the number and times of scenes."""
