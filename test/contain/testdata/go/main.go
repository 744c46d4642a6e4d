// Program app prints a sum.
package main

import "fmt"

func sum(numbers ...int) (total int) {
	for _, number := range numbers {
		total += number
	}
	return total
}

func main() { fmt.Println(sum(1, 2, 3)) }
