func.func private @first()

  // -----

func.func @second() -> i32 {
	return
}

// -----

func.func private @third()
