import SwiftUI
import UIKit
import Vision
import VisionKit

/// Reads one QR code with the camera.
struct QRScanner: View {
    let cancelTitle: String
    let read: @MainActor (String) -> Void
    @Environment(\.dismiss) private var dismiss

    /// Whether this phone can scan now: it has the processor for it, and the camera is allowed or was not asked for.
    @MainActor static var isAvailable: Bool { DataScannerViewController.isSupported }

    var body: some View {
        NavigationStack {
            ScannerView(read: read)
                .toolbar {
                    ToolbarItem(placement: .cancellationAction) { Button(cancelTitle) { dismiss() } }
                }
        }
    }
}

/// VisionKit's scanner.
private struct ScannerView: UIViewControllerRepresentable {
    let read: @MainActor (String) -> Void

    func makeCoordinator() -> Coordinator { Coordinator(read) }

    func makeUIViewController(context: Context) -> DataScannerViewController {
        let scanner = DataScannerViewController(
            recognizedDataTypes: [.barcode(symbologies: [.qr])], isHighlightingEnabled: true)
        scanner.delegate = context.coordinator
        return scanner
    }

    func updateUIViewController(_ scanner: DataScannerViewController, context: Context) {
        // Refused without the camera: the view stays dark, and the settings of the phone allow it.
        try? scanner.startScanning()
    }

    static func dismantleUIViewController(_ scanner: DataScannerViewController, coordinator: Coordinator) {
        scanner.stopScanning()
    }

    /// Takes the first code, and no other after it.
    @MainActor final class Coordinator: NSObject, DataScannerViewControllerDelegate {
        private let read: @MainActor (String) -> Void
        private var isDone = false

        init(_ read: @escaping @MainActor (String) -> Void) { self.read = read }

        func dataScanner(
            _ dataScanner: DataScannerViewController, didAdd addedItems: [RecognizedItem], allItems: [RecognizedItem]
        ) {
            for case .barcode(let code) in addedItems {
                guard !isDone, let text = code.payloadStringValue else { continue }
                isDone = true
                read(text)
            }
        }
    }
}
