package a
func (r *T[K, V]) m(a, b int, c ...func(x [3]int) (y map[string]chan<- int)) {
	s := []int{1: 2, 3}
	x := "é\u0041