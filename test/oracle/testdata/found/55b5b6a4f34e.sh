git diff \
'
:'*