# Writes what is typed into a file, a line at a time.
stty -echo
echo ready >"$1"
while IFS= read -r line; do printf '%s\n' "$line" >>"$1"; done
