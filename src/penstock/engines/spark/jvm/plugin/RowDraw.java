package penstock;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Draws rows of a task by chance, called from the code that Spark generates: a row that is not drawn costs a countdown.
 *
 * Each row has a number of chance between 0 and 1. Those below a share are drawn, and of all that a batch draws the
 * driver keeps those of the lowest numbers. So a task that has drawn twice as many as are kept draws only below the
 * numbers that may yet be kept: its share falls, however many rows come. `pair_draw.py` makes the columns.
 */
public final class RowDraw {
    private static final ThreadLocal<RowDraw> OF_TASK = new ThreadLocal<>();
    private static final char ROW = '\u001d';
    private static final int DIGITS = 16; // of a number between 0 and 1 by its bits, which sort as numbers do

    private final long task;
    private final SplittableRandom random = new SplittableRandom();
    private final double[] drawn;
    private int count;
    private double share;
    private long passed; // rows until the next one that is drawn

    private RowDraw(long task, double share, int most) {
        this.task = task;
        this.share = share;
        this.drawn = new double[2 * most];
        pass();
    }

    /** The number of a row that is drawn, as text; NULL for all others. The cell holds the share, and how many are kept. */
    public static UTF8String number(ArrayData cell) {
        TaskContext context = TaskContext.get();
        long task = context == null ? -1 : context.taskAttemptId();
        RowDraw here = OF_TASK.get();
        if (here == null || here.task != task) {
            here = new RowDraw(task, cell.getDouble(0), (int) cell.getDouble(1));
            OF_TASK.set(here);
        }
        return here.passed-- > 0 ? null : here.next();
    }

    /** The rows of the lowest numbers, without these, in one text: thousands in a document take CPU. */
    public static UTF8String told(ArrayData rows, int most) {
        String[] texts = new String[rows.numElements()];
        for (int row = 0; row < texts.length; row++) {
            texts[row] = rows.getUTF8String(row).toString();
        }
        if (texts.length > most) {
            Arrays.sort(texts);
        }
        StringBuilder told = new StringBuilder();
        for (int row = 0; row < Math.min(texts.length, most); row++) {
            if (row > 0) {
                told.append(ROW);
            }
            told.append(texts[row], DIGITS, texts[row].length());
        }
        return UTF8String.fromString(told.toString());
    }

    private UTF8String next() {
        double number = share * (1 - random.nextDouble());
        drawn[count++] = number;
        if (count == drawn.length) {
            Arrays.sort(drawn);
            count /= 2;
            share = drawn[count];
        }
        pass();
        return UTF8String.fromString(Long.toHexString(Double.doubleToLongBits(number)));
    }

    /** How many rows in a row are not drawn, where each is with this share: one look at chance for all of them. */
    private void pass() {
        passed = share >= 1 ? 0 : (long) (Math.log(1 - random.nextDouble()) / Math.log1p(-share));
    }
}
