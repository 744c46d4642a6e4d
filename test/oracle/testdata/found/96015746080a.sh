declare -A m;x=$(wc -l) m[$x]=b.txt x=0
rg x $x;"}"