package shortlink

// digits are the characters of a code, in the order of their value.
const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// encode writes a number in base 62, shortest form.
func encode(n uint64) string {
	const base = uint64(len(digits))

	var code [11]byte // 62^11 is more than 2^64
	at := len(code)
	for {
		at--
		code[at] = digits[n%base]
		n /= base
		if n == 0 {
			return string(code[at:])
		}
	}
}
