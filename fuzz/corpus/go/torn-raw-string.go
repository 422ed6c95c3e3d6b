package a
func f() {
}}}}
var x = `
func g() { select { case <-c: default: } }