<<EOF
E\
OF
-rf
EOF