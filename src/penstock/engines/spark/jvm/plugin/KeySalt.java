package penstock;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The salt of a row that is routed, called from the code that Spark generates: one term of a plan in place of dozens.
 *
 * It is the very number that the terms give (`by_terms` in routing/salting.py), which `salts.py`, `lookup.py` and
 * `entries.py` explain: state in checkpoints stands where it says. What reads another cell takes another name, for an
 * older jar may be on a class path.
 */
public final class KeySalt {
    private static final int SEED = 42; // of Spark's hash(...)
    private static final int OTHER_SEED = Murmur3_x86_32.hashInt(7, SEED);
    private static final int UPPER = 0xFFFF0000;
    private static final int INVERSE_C1 = 0xDEE13BB1;
    private static final int INVERSE_C2 = 0x56ED309B;
    private static final long FAR_US = 1L << 58;
    private static final int NUMBER_BITS = 4;
    private static final int NUMBERS = (1 << NUMBER_BITS) - 1;

    private KeySalt() {}

    /** In the table that a window follows which starts then. */
    public static int of(InternalRow cell, long startUs, UTF8String text, int hash) {
        return in(cell, slotAt(cell.getArray(0), startUs), text, hash);
    }

    /** In the one table that there is without windows. */
    public static int of(InternalRow cell, UTF8String text, int hash) {
        return in(cell, 0, text, hash);
    }

    private static int slotAt(ArrayData begins, long startUs) {
        long moment = Math.min(FAR_US - 1, Math.max(-FAR_US, startUs)) << NUMBER_BITS | NUMBERS;
        long last = Long.MIN_VALUE;
        for (int slot = 0; slot < begins.numElements(); slot++) {
            long begin = begins.getLong(slot);
            if (begin <= moment && begin > last) {
                last = begin;
            }
        }
        return (int) (last & NUMBERS) - 1;
    }

    private static int in(InternalRow cell, int number, UTF8String text, int hash) {
        InternalRow slot = cell.getArray(1).getStruct(number, 4);
        ArrayData aims = slot.getArray(1);
        int at = text == null ? 0 : partitionOf(text, slot.getInt(2), slot.getArray(3), aims.numElements());
        if (at == 0) {
            at = Math.floorMod(hash, slot.getInt(0)) + 1;
        }
        int words = ((int) aims.getLong(at) ^ hash) * INVERSE_C2;
        return Integer.rotateLeft(words, 17) * INVERSE_C1;
    }

    /** The partition of a listed key, counted from 1; 0 of any other. */
    private static int partitionOf(UTF8String text, int size, ArrayData entries, int beyond) {
        int first = hashed(text, SEED);
        int second = hashed(text, OTHER_SEED);
        int own = second & UPPER;
        int found = entries.getInt(Math.floorMod(first, size)) ^ own;
        if (found > 0 && found < beyond) {
            return found;
        }
        int other = entries.getInt(Math.floorMod(second, size)) ^ own;
        return other > 0 && other < beyond ? other : 0;
    }

    private static int hashed(UTF8String text, int seed) {
        return Murmur3_x86_32.hashUnsafeBytes(text.getBaseObject(), text.getBaseOffset(), text.numBytes(), seed);
    }
}
