
case "$HOME" in <(ls));; *) 
if tr  $((1 - 5)); then cat ; fi;; esac