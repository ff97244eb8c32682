//! Networks of addresses, as configuration names them: `10.0.0.0/8`, `2001:db8::/32`, or one address.

use std::net::IpAddr;

/// All addresses with the same leading bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    /// The number of leading bits that count.
    bits: u32,
}

impl Network {
    /// Reads a network; none if the text is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Some(most), |bits| bits.parse().ok())?;
        (bits <= most).then_some(Self { address, bits })
    }

    /// True if the network has the address.
    pub fn has(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let differs = u32::from(network) ^ u32::from(address);
                differs.leading_zeros() >= self.bits
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let differs = u128::from(network) ^ u128::from(address);
                differs.leading_zeros() >= self.bits
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_have_their_addresses() {
        for (network, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.1"),
            ("192.0.2.7", "192.0.2.7", "192.0.2.6"),
            ("2001:db8::/33", "2001:db8:7fff::1", "2001:db8:8000::1"),
            ("0.0.0.0/0", "203.0.113.9", "::1"),
        ] {
            let network = Network::parse(network).expect("a network");
            let has = |text: &str| network.has(text.parse().expect("an address"));
            assert!(has(inside) && !has(outside), "{network:?}");
        }
        for text in ["", "10.0.0.0/33", "10.0.0/8", "::/129", "host", "10.0.0.1/x", "10.0.0.1/"] {
            assert_eq!(Network::parse(text), None, "{text}");
        }
    }
}
