fn sum(numbers: &[i32]) -> i32 {
    numbers.iter().sum()
}

fn main() {
    println!("{}", sum(&[1, 2, 3]));
}

#[cfg(test)]
mod tests {
    #[test]
    fn sums() {
        assert_eq!(super::sum(&[1, 2, 3]), 6);
        let file = std::env::temp_dir().join("app-test");
        std::fs::write(&file, "x").unwrap();
        std::fs::remove_file(file).unwrap();
    }
}
