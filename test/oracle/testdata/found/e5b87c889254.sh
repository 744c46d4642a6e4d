pwd
{ nice env
x[]
}