<<EOF
E\
OF
rm
EOF