declare -A m;((08));m[$i]=;cd 'src'
./ls