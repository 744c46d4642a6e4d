{ nice env
x[]
}