package fields;

import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlTransient;
import java.math.BigDecimal;

/** A row of the table. */
@XmlTransient
@XmlAccessorType(XmlAccessType.FIELD)
public abstract class Row {
    public String item;
    public int quantity;
    public int stock;
    public BigDecimal price;
    public String unit;
    public int shelf;
    public int supplier;

    /** Takes the values of another row. */
    public void take(Row other) {
        item = other.item;
        quantity = other.quantity;
        stock = other.stock;
        price = other.price;
        unit = other.unit;
        shelf = other.shelf;
        supplier = other.supplier;
    }
}
